import { expect, test } from "vitest";
import type { StoryRecording } from "../recording/story-recording.ts";
import { runPicture } from "./run-picture.ts";

const recording: StoryRecording = {
  title: "A node dies",
  description: "",
  clusterName: "virtual",
  profile: "kubernetes",
  fromMs: 1_000_000,
  toMs: 1_600_000,
  steps: [],
  changes: [],
  hasObjects: false,
  captions: [],
  pods: [
    {
      workload: "web",
      samples: [
        { atMs: 1_000_000, wanted: 6, ready: 6, available: 6 },
        { atMs: 1_060_000, wanted: 6, ready: 6, available: 4 },
        { atMs: 1_400_000, wanted: 6, ready: 6, available: 6 },
      ],
    },
  ],
  faults: [{ fromMs: 1_060_000, toMs: undefined, text: "kill <node> & more" }],
};

test("a picture states the costs of the run, and has a gold seam at each repair", () => {
  const picture = runPicture({ recording, workload: "web", title: 'A node "dies"' });
  expect(picture).toContain("web: degraded for 5 min 40 s");
  // 34 + (400 of 600 s) of the 754 wide plot.
  expect(picture.match(/class="seam" d="M([\d.]+) /)?.[1]).toBe("536.7");
  expect(picture).toContain("kill &#60;node&#62; &#38; more");
  expect(picture).toContain("A node &#34;dies&#34;");
  expect(picture).not.toContain("NaN");
});

test("a workload that is missing from the run results in an empty picture", () => {
  const picture = runPicture({ recording: { ...recording, faults: [] }, workload: "db", title: "t" });
  expect(picture).toContain("db: degraded for 0 s");
  expect(picture).not.toContain("NaN");
});
