/**
 * Loaded before each test file. tap follows every promise and timer with hooks, to tell which test an error that nobody caught
 * belongs to; that costs an eighth of all processor time. Such an error ends the file without them too, and its stack says where.
 */
'use strict'
const hooks = require('node:async_hooks')
const { syncBuiltinESMExports } = require('node:module')

const none = { enable: () => none, disable: () => none }
hooks.createHook = () => none
syncBuiltinESMExports()
