import neostandard from 'neostandard'
import regexp from 'eslint-plugin-regexp'

export default [
  ...neostandard({ ts: true, ignores: ['dist/**', 'coverage/**', '.tap/**', '.build/**', 'test/e2e/node_modules/**'] }),
  // A schema and the type inferred from it share one name.
  { files: ['**/*.ts'], rules: { '@typescript-eslint/no-redeclare': 'off' } },
  // Whatever somebody sends is read in time proportional to its length; `test/linear.test.ts` tries what these cannot judge.
  {
    files: ['lib/**', 'types/**', 'examples/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false, ignoreSticky: false }]
    }
  }
]
