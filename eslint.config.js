/** The linter: neostandard, and what of the project's own hand it can keep (CONTRIBUTING.md, How it reads). */
import neostandard from 'neostandard'
import regexp from 'eslint-plugin-regexp'

/** Each file begins with a comment that says what it is for; behind `#!` and words to the linter. */
const header = {
  meta: { type: 'suggestion', schema: [], messages: { missing: 'A comment at the top says what this file is for.' } },
  create: context => ({
    Program (node) {
      const [first] = context.sourceCode.getAllComments()
        .filter(({ type, value }) => type !== 'Shebang' && !/^\s*(eslint|@ts-|global )/.test(value))
      if (first === undefined || (node.body.length > 0 && first.range[0] > node.body[0].range[0])) context.report({ node, messageId: 'missing' })
    }
  })
}

const camelCase = {
  selector: 'VariableDeclarator > Identifier.id[name=/^[A-Z][A-Z0-9]*_?[A-Z0-9_]*$/]',
  message: 'Constants are written like everything else: camelCase.'
}
/** A host's tests may run us in a realm of their own (a `vm` context, as jest does), where Node's errors are no `Error`, and ours are none to Node. */
const foreignErrors = {
  selector: 'BinaryExpression[operator=instanceof][right.name=/^(?:Aggregate|Range|Reference|Syntax|Type)?Error$/]',
  message: 'Ask for what is read (a message, a code): an error of another realm is no instance of ours.'
}

/** Whatever makes markup of a text: names, lines and files of strangers are shown by the page. */
const markup = {
  selector: ':matches(MemberExpression > Identifier.property, JSXAttribute > JSXIdentifier.name, Property > Identifier.key)[name=/^(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe|parseFromString|write|writeln)$/]',
  message: 'A text of somebody else is shown as text.'
}

export default [
  // `lib/client/operations.ts` is generated (docs/generate/client.js).
  ...neostandard({ ts: true, ignores: ['lib/client/operations.ts', 'dist/**', 'coverage/**', '.tap/**', '.build/**', 'test/e2e/node_modules/**'] }),
  // A schema and the type inferred from it share one name.
  { files: ['**/*.ts'], rules: { '@typescript-eslint/no-redeclare': 'off' } },
  {
    plugins: { own: { rules: { header } } },
    rules: {
      '@stylistic/arrow-parens': ['error', 'as-needed'],
      'own/header': 'error',
      'no-restricted-syntax': ['error', camelCase]
    }
  },
  { files: ['lib/**'], rules: { 'no-restricted-syntax': ['error', camelCase, foreignErrors] } },
  // These are being rebuilt on branches of their own, and come in with them.
  { files: ['lib/runtime/**', 'test/runtime/**'], rules: { '@stylistic/arrow-parens': 'off', 'own/header': 'off', 'no-restricted-syntax': 'off' } },
  { files: ['lib/dashboard/app/**'], rules: { 'no-restricted-syntax': ['error', camelCase, foreignErrors, markup], '@stylistic/jsx-quotes': ['error', 'prefer-single'], 'react/jsx-handler-names': 'off' } },
  { files: ['lib/conformance/**', 'test/conformance/**'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['lib/runtime/**'], rules: { 'no-restricted-syntax': ['error', foreignErrors] } },
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
