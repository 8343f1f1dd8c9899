import { afterEach, expect, test, vi } from "vitest";
import { filmOf } from "./film.ts";
import { quietRun } from "./testing/quiet-run.ts";

afterEach(() => void vi.unstubAllGlobals());

/** A recorder that has one byte of film. */
class Recorder {
  static isTypeSupported = () => true;
  ondataavailable: (event: { data: Blob }) => void = () => {};
  onstop = () => {};
  start = () => this.ondataavailable({ data: new Blob(["x"]) });
  stop = () => this.onstop();
}

test("a film that was stopped is not a file", async () => {
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_own, name) => (name === "measureText" ? () => ({ width: 8 }) : () => {}),
  });
  vi.stubGlobal("MediaRecorder", Recorder);
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => context, captureStream: () => ({}) }) });
  const stop = new AbortController();
  const { page, span, palette } = quietRun();
  const film = filmOf(page, { span, palette, signal: stop.signal, onProgress: () => stop.abort() });
  await expect(film).rejects.toThrow(/abort/);
});
