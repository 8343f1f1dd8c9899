import { expect, test } from "vitest";
import { playerPage } from "../recording/player-page.ts";
import { pictureNextTo, previewTags, publishedPage } from "./preview-tags.ts";
import type { StoryRecording } from "../recording/story-recording.ts";

const recording: StoryRecording = {
  title: `node-dead"><script>alert(1)</script>`,
  description: "A node dies & does not come back.",
  clusterName: "node-dead",
  profile: "kubernetes",
  fromMs: 0,
  toMs: 600_000,
  steps: [],
  changes: [],
  hasObjects: true,
  captions: [],
  pods: [
    {
      workload: "web",
      samples: [
        { atMs: 0, wanted: 6, ready: 6, available: 6 },
        { atMs: 60_000, wanted: 6, ready: 6, available: 4 },
        { atMs: 409_000, wanted: 6, ready: 6, available: 6 },
      ],
    },
  ],
};

const page = playerPage(
  recording,
  { files: { script: "", style: "" }, preview: previewTags(recording) },
  { sha256: () => "hash" },
);

test("a page of a recording names its run in the preview tags, with a picture of that run", () => {
  expect(page).toContain('<meta property="og:description" content="A node dies &#38; does not come back.">');
  const [, picture = ""] = /<meta property="og:image" content="data:image\/svg\+xml,([^"]*)">/.exec(page) ?? [];
  // The page writes some characters as numeric references, which a browser decodes.
  const svg = decodeURIComponent(picture.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))));
  expect(svg).toContain("web: degraded for 5 min 49 s");
});

test("text from a recording is escaped in the tags", () => {
  const [head = ""] = page.split("</head>");
  expect(head).not.toContain("<script>alert");
  expect(head).toContain('content="Kintsugi: node-dead&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"');
});

test("a published page has absolute addresses, because networks show no other picture", () => {
  const tags = previewTags(recording, { page: "https://example.org/run.html", picture: "https://example.org/run.png" });
  const contents = Object.fromEntries(tags.map(({ property, content }) => [property, content]));
  expect(contents).toMatchObject({
    "og:url": "https://example.org/run.html",
    "og:image": "https://example.org/run.png",
    "og:image:width": "1200",
    "og:image:height": "630",
    "twitter:card": "summary_large_image",
  });
});

test("a page and its picture have addresses in the folder of the site", () => {
  const addresses = { page: "https://example.org/runs/a%20b.html", picture: "https://example.org/runs/a%20b.png" };
  expect(publishedPage("https://example.org/runs", "/tmp/out/a b.html")).toEqual(addresses);
  expect(pictureNextTo("/tmp/out/a b.html")).toBe("/tmp/out/a b.png");
  for (const site of ["example.org", "ftp://example.org/", "javascript:alert(1)"])
    expect(publishedPage(site, "a.html")).toBeUndefined();
});
