/** The version of this package. It stands here because a host that is bundled has no `package.json` of ours beside it. */
export const version = '0.1.0'
