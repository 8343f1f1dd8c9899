import { Buffer } from "buffer";

// Node's globals that the services use, in a worker of a browser. This file is loaded before all
// other files.

const turns: (() => void)[] = [];
const channel = new MessageChannel();
Object.assign(channel.port1, { onmessage: () => turns.shift()?.() });

/**
 * Runs the callback when all promises have settled, as Node's tick does. A message to the worker
 * itself is a separate task, because timers of browsers would wait for milliseconds.
 */
function nextTask(callback: (...words: unknown[]) => void, ...words: unknown[]): void {
  turns.push(() => callback(...words));
  channel.port2.postMessage(null);
}

const nothing = () => {};
Object.assign(globalThis, {
  Buffer,
  setImmediate: nextTask,
  global: globalThis,
  process: {
    nextTick: nextTask,
    env: {},
    argv: [],
    execArgv: [],
    version: "v20.19.0",
    versions: { node: "20.19.0" },
    platform: "browser",
    pid: 1,
    stdout: { write: nothing },
    stderr: { write: nothing },
    on: nothing,
    once: nothing,
    off: nothing,
    emitWarning: nothing,
    cwd: () => "/",
    hrtime: Object.assign(() => [0, 0], { bigint: () => 0n }),
    memoryUsage: () => ({}),
    cpuUsage: () => ({}),
    uptime: () => 0,
  },
});
