import { afterEach, expect, test, vi } from "vitest";
import { readPalette } from "../../drawing/palette.ts";
import { openRecording } from "../../state/open-recording.ts";
import { filmOf } from "./film.ts";

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
  const span = { fromMs: 0, toMs: 600_000 };
  const { page } = openRecording({
    title: "lab",
    description: "",
    clusterName: "lab",
    profile: "kubernetes",
    ...span,
    steps: [],
    changes: [],
    hasObjects: true,
    captions: [],
  });
  const stop = new AbortController();
  const film = filmOf(page, {
    span,
    palette: readPalette(() => "#000"),
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(film).rejects.toThrow(/abort/);
});
