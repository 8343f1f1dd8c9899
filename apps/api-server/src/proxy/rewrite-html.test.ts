import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewriteGzippedHtml, rewriteHtml } from "./rewrite-html.ts";

const rewrite = (url: string) => (url.startsWith("/") ? `/p${url}` : url);

async function rewritten(page: string | Buffer, chunkBytes = 7): Promise<Buffer> {
  return collect(rewriteHtml(inChunks(Buffer.from(page as string), chunkBytes), rewrite));
}

async function collect(page: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of page) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inChunks(page: Buffer, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < page.byteLength; at += bytes) yield page.subarray(at, at + bytes);
}

describe("URLs in attributes are rewritten", () => {
  test.each([
    ['<a href="/x">test</a>', '<a href="/p/x">test</a>'],
    ["<A HREF='/x' class=b>", "<A HREF='/p/x' class=b>"],
    ["<img src = /x.png alt=/y>", "<img src = /p/x.png alt=/y>"],
    ['<form  action="/go"\n method=post >', '<form  action="/p/go"\n method=post >'],
    ['<video src="/a" poster="/b"/>', '<video src="/p/a" poster="/p/b"/>'],
    ['<a href="/x?a=1&amp;b=&eacute;é">', '<a href="/p/x?a=1&amp;b=&eacute;é">'],
  ])("%s", async (page, expected) => {
    expect((await rewritten(page)).toString()).toBe(expected);
  });

  test("for every encoding of the page", async () => {
    const page = Buffer.from('<p>ä</p><a title="ä" href="/ä">', "latin1");
    expect(await rewritten(page)).toEqual(Buffer.from('<p>ä</p><a title="ä" href="/p/ä">', "latin1"));
  });

  test("in compressed pages", async () => {
    const page = gzipSync('<a href="/x">');
    expect(gunzipSync(await collect(rewriteGzippedHtml(inChunks(page, 5), rewrite))).toString()).toBe(
      '<a href="/p/x">',
    );
  });
});

test.each([
  "<!-- <a href='/x'> -->",
  "<script>var a = '<a href=\"/x\">'</script>",
  "<style>a { background: url(/x) }</style>",
  "<textarea><a href='/x'></textarea>",
  '<div href="/x" data-src="/y">',
  '<a data-href="/x" href="x">',
  "a < b && c > d \r\n\0 &copy; é",
])("%s is not changed", async (page) => {
  expect((await rewritten(page)).toString()).toBe(page);
});

test("a page without URLs is not changed by a byte, however it is split into chunks", async () => {
  const text = fc.array(
    fc.constantFrom(
      "<p>",
      "</p>",
      "<a x='1'>",
      "<!--",
      "-->",
      "<script>",
      "</script>",
      "&amp;",
      "ä",
      "\r\n",
      "text",
      "<",
      ">",
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (parts, chunkBytes) => {
      // A tag that never ends is not part of a page.
      const page = `${parts.join("")}-->x</script>`.replace(/<$/, "");
      expect((await rewritten(page, chunkBytes)).toString()).toBe(page);
    }),
    { numRuns: 200 },
  );
});

test("an unterminated token is not buffered forever", async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("<!--");
    for (;;) {
      sent += 65_536;
      yield Buffer.alloc(65_536, "x");
    }
  }
  await expect(collect(rewriteHtml(endless(), rewrite))).rejects.toThrow("a page has a token of more than");
  expect(sent).toBeLessThan(4 * 1024 * 1024);
});
