/** Starts clouds of ours and logs in, so that every contender is asked with a token that means the same to it. */
import { contend } from './contender.js'
import { ask } from './load.js'

const json = async (url, options) => {
  const { status, headers, body } = await ask(url, options)
  if (status >= 300) throw new Error(`${url}: ${status} ${body}`)
  const cookie = headers['set-cookie']?.[0].split(';')[0]
  return { data: body === '' ? undefined : JSON.parse(body).data, cookie }
}

/** A cloud with a user of the User role: its process, what that user sends (a token, or a key) and sees. */
export async function cloud (options) {
  const contender = await contend('cloud.js', options)
  const { url } = contender
  const root = await json(`${url}/user/self`, { method: 'POST', body: { username: 'root', password: 'correct horse battery' } })
  const made = await json(`${url}/user/`, { method: 'POST', headers: { cookie: root.cookie }, body: { username: 'user' } })
  const { cookie } = await json(`${url}/auth/login`, { method: 'POST', body: { username: 'user', password: made.data.password } })
  const headers = { cookie }
  await json(`${url}/user/self/change-password`, { method: 'PATCH', headers, body: { password: 'tr0ub4dor & three' } })
  const self = (await json(`${url}/user/self`, { headers })).data
  const { key } = (await json(`${url}/user/keys`, { method: 'POST', headers, body: { label: 'bench', permissions: ['cloud.service.list'] } })).data
  const session = JSON.parse(Buffer.from(cookie.split('.')[1], 'base64url').toString())
  return { contender, url, headers, keyHeaders: { authorization: `Bearer ${key}` }, self, session }
}
