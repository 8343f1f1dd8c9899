import { describe, expect, it } from "vitest";
import { runTogether } from "./run-together.ts";

describe("runTogether", () => {
  it("stops the others when one fails, waits for them, and fails with the first error", async () => {
    const ended: string[] = [];
    const other = async (signal: AbortSignal) => {
      await aborted(signal);
      await Promise.resolve();
      ended.push("other");
      throw new Error("could not say goodbye");
    };
    const failing = () => Promise.reject(new Error("first"));
    await expect(runTogether(new AbortController().signal, [other, failing])).rejects.toThrow("first");
    expect(ended).toEqual(["other"]);
  });

  it("fails with an error from before the stop, also if the error arrives while the others end", async () => {
    const told = new AbortController();
    const other = async (signal: AbortSignal) => {
      await aborted(signal);
      told.abort();
    };
    await expect(runTogether(told.signal, [other, () => Promise.reject(new Error("first"))])).rejects.toThrow("first");
  });

  it("ends without an error when it is stopped, whatever errors the parts then throw", async () => {
    const told = new AbortController();
    const part = async (signal: AbortSignal) => {
      await aborted(signal);
      throw new Error("interrupted");
    };
    const running = runTogether(told.signal, [part, part]);
    told.abort();
    await expect(running).resolves.toBeUndefined();
  });

  it("ends when all parts have ended", async () => {
    await expect(runTogether(new AbortController().signal, [async () => {}])).resolves.toBeUndefined();
  });
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
