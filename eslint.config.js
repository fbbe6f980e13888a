import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist/**', 'coverage/**', '.tap/**', '.build/**', 'test/e2e/node_modules/**'] }),
  // A schema and the type inferred from it share one name.
  { files: ['**/*.ts'], rules: { '@typescript-eslint/no-redeclare': 'off' } }
]
