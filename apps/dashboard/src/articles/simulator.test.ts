import { afterEach, expect, test, vi } from "vitest";
import { simulateInTab } from "./simulator.ts";

afterEach(() => void vi.unstubAllGlobals());

/** A worker whose answers the test sends. */
class FakeWorker {
  static made: FakeWorker | undefined;
  readonly asked: unknown[] = [];
  onmessage: ((event: { data: object }) => void) | undefined;
  constructor() {
    FakeWorker.made = this;
  }
  postMessage(request: unknown): void {
    this.asked.push(request);
  }
}

const request = { scenario: "node-dead", faults: [], settings: [] };

test("the progress of a run is reported to its own request, and not to the next", async () => {
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("location", { pathname: "/articles/minion.html" });
  vi.stubGlobal("document", { baseURI: "http://localhost/articles/minion.html" });
  const parts: string[] = [];
  const first = simulateInTab(request, (part) => parts.push(`first ${part}`));
  const second = simulateInTab(request, (part) => parts.push(`second ${part}`));
  const hear = (data: object) => FakeWorker.made?.onmessage?.({ data });
  hear({ is: "ready", scenarios: [] });
  await vi.waitFor(() => expect(FakeWorker.made?.asked.length).toBe(2));
  hear({ is: "simulated", part: 0.4 });
  hear({ is: "refused", because: "no" });
  hear({ is: "simulated", part: 0.1 });
  hear({ is: "refused", because: "no again" });
  expect(await first).toEqual({ is: "refused", because: "no" });
  expect(await second).toEqual({ is: "refused", because: "no again" });
  expect(parts).toEqual(["first 0.4", "second 0.1"]);
});
