/** The OpenAPI document as a file, and the types of the client, which are made of it. */
import openapiTS, { astToString } from 'openapi-typescript'

const note = `/**
 * The operations of the interface as types, made of its OpenAPI document: \`npm run docs\` renews them, and a test
 * compares them with the routes as they are.
 */
`

/** Both files, by path. */
export async function clientFiles (document) {
  // What `undefined` stands for is no part of JSON.
  const plain = JSON.parse(JSON.stringify(document))
  const types = astToString(await openapiTS(plain, { exportType: false, arrayLength: false }))
  return {
    'docs/openapi.json': `${JSON.stringify(plain)}\n`,
    'lib/client/operations.ts': note + types.replace('export type webhooks = Record<string, never>;\n', '').replace('export type $defs = Record<string, never>;\n', '')
  }
}
