// Loaded before a program whose parent asks how much memory it keeps once its garbage is collected.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("message", () => {
  // Finalizers free the memory outside of the heap in a later turn.
  collect();
  setImmediate(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ keptBytes: heapUsed + external });
  });
});
process.channel?.unref();
