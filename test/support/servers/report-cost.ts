// Loaded before a program whose parent measures how long its turns took, and how much memory it
// retains.
import { collectGarbage, takenBytes, TurnMeter } from "@kintsugi/api/testing";

export type CostQuestion = "longestTurnMs" | "keptBytes";

const meter = new TurnMeter();
process.on("message", (question: CostQuestion) => {
  if (question === "longestTurnMs") {
    process.send?.({ [question]: meter.takeLongestMs() });
    return;
  }
  // Finalizers free the memory outside of the heap in a later turn.
  collectGarbage();
  setImmediate(() => {
    collectGarbage();
    process.send?.({ [question]: takenBytes() });
    // The collection does not belong to a request.
    meter.takeLongestMs();
  });
});
process.channel?.unref();
