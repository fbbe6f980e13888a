/** Which names there may be, and which of them are the same. */
import fc from 'fast-check'
import t from 'tap'
import { checkName, foldGiven, foldName } from '../../lib/schemas/account-names.js'
import { adminPassword, build } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const white = '#FFFFFF'
const taken = refusal(400, 'Username already exists')
const invalid = refusal(400, 'Username is invalid')
const edited = { status: 201, message: 'User edited successfully' }

/** Pairs of names that people take for the same. */
const alike: ReadonlyArray<readonly [string, string]> = [
  ['ann', 'ANN'], ['ann', ' ann '], ['ann', 'ａｎｎ'], ['ann', 'ＡＮＮ'], ['ann', '𝒶𝓃𝓃'], ['ann', 'Ⓐⓝⓝ'],
  ['jos\u00e9', 'jose\u0301'], ['JOS\u00c9', 'jose\u0301'], ['straße', 'STRASSE'], ['straße', 'STRAẞE'], ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδος'], ['οδος', 'οδοσ'], ['ﬁn', 'fin'], ['Ⅷ', 'viii'], ['x²', 'X2'], ['İstanbul', 'i\u0307stanbul'], ['kelvin', '\u212aelvin'],
  ['\u2126', 'ω'], ['한', '\u1112\u1161\u11ab'], ['ǆ', 'ǅ'], ['a b', 'a\u00a0b'], ['a b', 'a\u3000B'], ['ꭰ', 'Ꭰ'], ['\u017fam', 'Sam']
]
const unlike: ReadonlyArray<readonly [string, string]> = [
  ['ann', 'anna'], ['jose', 'jos\u00e9'], ['a b', 'ab'], ['ann', 'аnn'], ['a-b', 'a_b'], ['o', '0'], ['ü', 'ue']
]

/** What is on no screen: each alone, and within a name. */
const unseen = [
  '\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f', '\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180b', '\u180e',
  '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2060', '\u2066', '\u2069', '\u206a', '\u2800',
  '\u3164', '\ufe00', '\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\ue000', '\ud800', '\udfff', '\u{1d159}', '\u{1d173}', '\u{16fe4}', '\u{13441}',
  '\u{e0001}', '\u{e0041}', '\u{e0100}', '\u{f0000}', '\u{10ffff}', '\u0378', '\ufdd0'
]

t.test('Usernames', async t => {
  const { setUp } = await build(t)
  const root = await setUp()
  const rename = (username: string) => root('PATCH', '/user/self/edit', { username })

  t.test('are 1 to 64 characters, not bytes and not units, after trimming', async t => {
    for (const one of ['x', 'é', '漢', '😀', 'x\u0301']) {
      const count = 64 / [...one].length
      const longest = one.repeat(count)
      same(t, await rename(longest), edited, `${count} times ${one}`)
      t.equal((await root('GET', '/user/self')).body.data.username, longest)
      same(t, await rename(`${longest}x`), invalid, 'one more')
      same(t, await rename(` \t${longest}\n\u3000`), edited, 'blanks around it do not count')
      t.equal((await root('GET', '/user/self')).body.data.username, longest)
    }
    for (const one of ['a', '-', '.', '0', '日', "o'neill", 'a b', '<script>', '../..', '"', '\u0308']) {
      same(t, await rename(one), edited, one)
      t.equal((await root('GET', '/user/self')).body.data.username, one)
    }
  })

  t.test('hold nothing that is not seen, in every way to set one (case 79)', async t => {
    for (const one of unseen) {
      for (const name of [one, `a${one}b`, `a${one}`, `${one}a`]) {
        // At its ends this is a blank, and trimmed.
        if (name.trim() !== name) continue
        const code = one.codePointAt(0)?.toString(16)
        same(t, await rename(name), invalid, `U+${code}`)
      }
      same(t, await root('POST', '/user/', { username: `a${one}b` }), invalid)
    }
    const { client: fresh } = await build(t)
    for (const one of ['\u200b', 'a\u202eb', '\u2800', 'x'.repeat(65), '\ud800']) {
      same(t, await fresh()('POST', '/user/self', { username: one, password: 'long enough' }), invalid)
    }
    for (const blank of ['', ' ', '\t', '\u00a0', '\u3000\u2003', '\ufeff', '\u1680', '\u2028']) {
      same(t, await rename(blank), refusal(400, 'Username is required'), `U+${blank.codePointAt(0)?.toString(16)}`)
    }
  })

  t.test('are unique after NFKC and case folding, whoever asks, and found at login in every such form (cases 32, 33, 80)', async t => {
    const { setUp, client } = await build(t)
    const root = await setUp()
    for (const [index, [one, other]] of alike.entries()) {
      const [first, second] = [`${one.trim()} ${index}`, `${other.trim()} ${index}`]
      const made = await root('POST', '/user/', { username: first })
      t.equal(made.status, 201)
      same(t, await root('POST', '/user/', { username: second }), taken, `${one} and ${other}`)
      same(t, await root('PATCH', '/user/self/edit', { username: second }), taken)
      same(t, await client()('POST', '/auth/login', { username: second, password: made.body.data.password }), { status: 200, message: 'Login successful' })
    }
    for (const [index, [one, other]] of unlike.entries()) {
      t.equal((await root('POST', '/user/', { username: `${one}#${index}` })).status, 201, one)
      t.equal((await root('POST', '/user/', { username: `${other}#${index}` })).status, 201, other)
    }
  })

  t.test('may change to another spelling of themselves, and a name given up is free', async t => {
    const { setUp } = await build(t)
    const root = await setUp()
    same(t, await root('PATCH', '/user/self/edit', { username: 'ＲＯＯＴ' }), edited)
    t.equal((await root('GET', '/user/self')).body.data.username, 'ＲＯＯＴ')
    same(t, await root('POST', '/user/', { username: 'root' }), taken)
    same(t, await root('PATCH', '/user/self/edit', { username: 'other' }), edited)
    t.equal((await root('POST', '/user/', { username: 'root' })).status, 201)
  })

  t.test('are found at login however long their compatibility form is, and nobody has one that is longer', async t => {
    const { setUp } = await build(t)
    const root = await setUp()
    const name = '\ufdfa'.repeat(64)
    same(t, await root('PATCH', '/user/self/edit', { username: name }), edited)
    for (const username of [name, name.normalize('NFKC'), `${' '.repeat(10_000)}${name}`]) {
      same(t, await root('POST', '/auth/login', { username, password: adminPassword }), { status: 200, message: 'Login successful' })
    }
    same(t, await root('POST', '/auth/login', { username: 'x'.repeat(2_049), password: adminPassword }), refusal(401, 'Invalid credentials'))
    same(t, await root('POST', '/auth/login', { username: `${name.normalize('NFKC')}${'x'.repeat(2_000)}`, password: adminPassword }), refusal(401, 'Invalid credentials'))
  })
})

t.test('Labels of roles keep the same rules (case 79)', async t => {
  const { setUp } = await build(t)
  const root = await setUp()
  const create = (label: string) => root('POST', '/role/', { label, hexColor: white })
  for (const one of [...unseen.filter(one => one.trim() !== ''), 'x'.repeat(65), '😀'.repeat(65)]) {
    const label = one.length > 2 ? one : `a${one}b`
    same(t, await create(label), refusal(400, 'Role label is invalid'))
    same(t, await root('PATCH', '/role/0', { label, hexColor: white }), refusal(400, 'Role label is invalid'))
  }
  const made = await create(` ${'😀'.repeat(64)} `)
  t.equal(made.status, 201)
  t.equal(made.body.data.label, '😀'.repeat(64))
  for (const [index, [one, other]] of alike.entries()) {
    const answer = await create(`${one}#${index}`)
    t.equal(answer.status, 201)
    same(t, await create(`${other.trim()}#${index}`), refusal(400, 'Role already exists'), `${one} and ${other}`)
    same(t, await root('PATCH', '/role/0', { label: `${other.trim()}#${index}`, hexColor: white }), refusal(400, 'Role already exists'))
    t.equal((await root('PATCH', `/role/${answer.body.data.id}`, { label: `${other.trim()}#${index}`, hexColor: white })).status, 200, 'its own in another spelling')
  }
})

t.test('Folding', async t => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }), fc.string(),
    fc.string({ unit: fc.constantFrom('ß', 'ẞ', 'Σ', 'ς', 'İ', 'ı', '\u0307', '\u0345', 'ͅ', 'ﬃ', '\u0301', 'ŉ', 'ΐ', 'ᾳ', '\u1fbc', '한', '\u1112', '\u1161', ' ', '\u00a0', '¨', 'a', 'A', 'ﷺ', '\ud800') })
  )

  t.test('of a folded name is that name, for any text', async t => {
    fc.assert(fc.property(anyText, text => foldName(foldName(text)) === foldName(text)), { numRuns: 3_000 })
  })

  t.test('tells nothing of case, width and composition', async t => {
    fc.assert(fc.property(anyText, text => {
      // An iota subscript becomes a letter in capitals, and what follows it then another character's mark.
      if (text.normalize('NFKD').includes('\u0345')) return true
      const folded = foldName(text)
      const composed = text.normalize('NFC')
      return [composed.toLowerCase(), composed.toUpperCase(), text.normalize('NFC'), text.normalize('NFD'), text.normalize('NFKC'), ` ${text}\u3000`]
        .every(other => foldName(other) === folded)
    }), { numRuns: 3_000 })
  })

  t.test('does so for every single character of Unicode', async t => {
    const wrong: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code === 0xd800) code = 0xe000
      const one = String.fromCodePoint(code)
      if (/[\p{Cn}\p{Co}\p{Script=Han}]/u.test(one) && one === one.normalize('NFKC')) continue
      const folded = foldName(one)
      const same = [folded, one.toLowerCase(), one.toUpperCase(), one.normalize('NFD')].every(other => foldName(other) === folded)
      if (!same) wrong.push(code.toString(16))
    }
    t.strictSame(wrong, [])
  })

  t.test('keeps every name that can be stored from being blank or unseen', async t => {
    fc.assert(fc.property(anyText, text => {
      let name: string
      try {
        name = checkName(text, 'Name')
      } catch {
        return true
      }
      const key = foldName(name)
      return name === text.trim() && name !== '' && [...name].length <= 64 && /\S/.test(name) && /\S/.test(key) && key === foldGiven(text) &&
        name.isWellFormed() && !/[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u.test(name) && checkName(name, 'Name') === name
    }), { numRuns: 5_000 })
  })
})
