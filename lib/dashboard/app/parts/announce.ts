/** Says what was done to those who do not see it. */

const region = document.createElement('div')
region.className = 'unseen'
region.setAttribute('role', 'status')
document.body.append(region)

export function announce (text: string): void {
  region.textContent = ''
  // A region that is filled in the same turn as it was emptied is not read again.
  setTimeout(() => { region.textContent = text }, 50)
}
