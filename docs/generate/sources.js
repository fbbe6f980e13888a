/** What the documentation takes from the sources: docstrings of `types/`, the import law, and the variables that tests read. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { code, root, rowsOf, table } from './pages.js'

const read = path => readFileSync(join(root, path), 'utf8')
const parse = path => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true)
const docOf = node => ts.getJSDocCommentsAndTags(node).map(one => ts.getTextOfJSDocComment(one.comment)).join(' ').replace(/\s+/g, ' ').trim()
const typeOf = (node, source) => node.type.getText(source).replaceAll('readonly ', '').replace(/ReadonlyArray<(.*)>$/, '$1[]').replace(/Readonly<(.*)>$/, '$1')

/** The exported interfaces of a file, with their members. */
function interfacesOf (path) {
  const source = parse(path)
  return source.statements.filter(ts.isInterfaceDeclaration).map(node => ({
    name: node.name.text,
    doc: docOf(node),
    bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.map(one => one.expression.getText(source))),
    members: membersOf(node, source)
  }))
}

/** Those of an object that is written out stand below its name and say what it says where they say nothing themselves. */
const membersOf = ({ members }, source, { before = '', above = '' } = {}) => members.filter(ts.isPropertySignature).flatMap(member => {
  const name = before + member.name.getText(source)
  const own = docOf(member)
  const isOptional = member.questionToken !== undefined
  if (!ts.isTypeLiteralNode(member.type)) return [{ name, type: typeOf(member, source), isOptional, doc: own || above }]
  return [{ name, type: 'object', isOptional, doc: own }, ...membersOf(member.type, source, { before: `${name}.`, above: own })]
})

const resources = () => interfacesOf('types/resources.ts')

/** The names of the fields of each resource. */
export function resourceFields () {
  const all = resources()
  const own = ({ members, bases }) => [...bases.flatMap(base => own(all.find(({ name }) => name === base))), ...members.map(({ name }) => name.split('.')[0])]
  return Object.fromEntries(all.map(one => [one.name, [...new Set(own(one))]]))
}

export function resourceTables () {
  return resources().map(({ name, doc, bases, members }) => [
    `### ${name}`,
    doc + (bases.length === 0 ? '' : ` All fields of [${bases[0]}](#${bases[0].toLowerCase()}), and:`),
    table(['field', 'type', 'meaning'], members.map(one => [code(one.name), code(one.type), one.doc]))
  ].join('\n\n')).join('\n\n')
}

/** Every option with its docstring; those of an object stand below it. */
export function optionTable () {
  const all = interfacesOf('types/options.ts')
  const rows = (name, before = '') => all.find(one => one.name === name).members.flatMap(member => {
    const row = [code(before + member.name), member.isOptional ? 'no' : 'yes', member.doc]
    const isObject = all.some(({ name }) => name === member.type) && member.type !== 'Clock'
    return isObject ? [row, ...rows(member.type, `${member.name}.`)] : [row]
  })
  return table(['option', 'required', 'meaning'], rows('CloudOptions'))
}

/** The import law, which the test of imports holds. */
function law () {
  const source = parse('test/imports.test.ts')
  const found = source.statements.filter(ts.isVariableStatement).flatMap(one => [...one.declarationList.declarations])
    .find(({ name }) => name.getText(source) === 'law')
  return Object.fromEntries(found.initializer.properties.map(({ name, initializer }) =>
    [name.text, initializer.elements.map(({ text }) => text)]))
}

/** Writes into the last column of the rooms what each may import. */
export function fillRooms (present) {
  const rooms = law()
  const rows = rowsOf(present).map(([room, what]) => [room, what, rooms[room.replaceAll('`', '')]])
  const named = rows.map(([room]) => room.replaceAll('`', ''))
  const unnamed = Object.keys(rooms).filter(room => !named.includes(room))
  const unknown = rows.filter(([, , may]) => may === undefined).map(([room]) => room)
  if (unnamed.length + unknown.length > 0) throw new Error(`The map of rooms lacks ${unnamed} and has ${unknown} besides the law`)
  return table(['room', 'what lives there', 'may import'], rows.map(([room, what, may]) => [room, what, may.map(code).join(' ') || 'nothing']))
}

/** What is read by programs that tests start, or set by every machine. */
const ofPrograms = ['PATH', 'HOME', 'HOST', 'PORT', 'VERY_SECRET']

/** Variables of the environment that tests read, with the files that read them. */
export function variableTable () {
  const files = readdirSync(join(root, 'test'), { recursive: true }).filter(name => /\.[jt]s$/.test(name) && !/(^|\/)node_modules\//.test(name)).sort()
  const rows = files.flatMap(file => [...read(join('test', file)).matchAll(/process\.env(?:\['|\.)([A-Z][A-Z_]+)/g)]
    .filter(([, name]) => !ofPrograms.includes(name))
    .map(([, name]) => [name, `[${code(`test/${file}`)}](test/${file})`]))
  const readers = new Map()
  for (const [name, reader] of rows) readers.set(name, [...readers.get(name) ?? [], reader])
  return table(['variable', 'read by'], [...readers.keys()].sort().map(name => [code(name), [...new Set(readers.get(name))].join(', ')]))
}
