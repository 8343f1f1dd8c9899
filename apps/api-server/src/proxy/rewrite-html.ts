import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import type { RewritingStream } from "parse5-html-rewriting-stream";

type StartTag = Parameters<RewritingStream["emitStartTag"]>[0];

/**
 * The attributes that hold URLs, by their tags: upstream's atomsToAttrs
 * (apimachinery/pkg/util/proxy/transport.go).
 */
const urlAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }),
);

/** Limit of a tag, comment or text, because it is held in memory until its end. */
const tokenBytesMax = 1024 * 1024;

/**
 * Rewrites the URLs of a page, piece by piece as it arrives. All other bytes are unchanged.
 * @throws Error in the middle of a page that has a token of more than a mebibyte.
 */
export async function* rewriteHtml(
  page: AsyncIterable<Uint8Array>,
  rewrite: (url: string) => string,
): AsyncGenerator<Uint8Array> {
  // Loaded with the first page, because most API servers never forward a page.
  const parse5 = await import("parse5-html-rewriting-stream");
  const rewriter = new parse5.RewritingStream();
  rewriter.on("startTag", (tag: StartTag, raw: string) => rewriter.emitRaw(rewriteTag(tag, raw, rewrite)));
  const progress = { heldBytes: 0 };
  // Each byte is decoded as a character. Every encoding of a page writes tags in ASCII, and all
  // other bytes are written unchanged.
  const source = Readable.from(asLatin1(page, progress));
  source.on("error", (error) => rewriter.destroy(error));
  source.pipe(rewriter);
  try {
    for await (const piece of rewriter as AsyncIterable<string>) {
      progress.heldBytes = 0;
      yield Buffer.from(piece, "latin1");
    }
  } finally {
    source.destroy();
    rewriter.destroy();
  }
}

/**
 * Rewrites a compressed page. A page that its server sends piece by piece is also forwarded piece
 * by piece.
 */
export function rewriteGzippedHtml(
  page: AsyncIterable<Uint8Array>,
  rewrite: (url: string) => string,
): AsyncGenerator<Uint8Array> {
  const plain = through(page, createGunzip());
  return through(rewriteHtml(plain, rewrite), createGzip({ flush: constants.Z_SYNC_FLUSH }));
}

async function* through(source: AsyncIterable<Uint8Array>, stream: Duplex): AsyncGenerator<Uint8Array> {
  // A failure of the source becomes the stream's failure, which the loop below throws.
  pipeline(Readable.from(source), stream).catch(() => {});
  yield* stream as AsyncIterable<Uint8Array>;
}

async function* asLatin1(page: AsyncIterable<Uint8Array>, progress: { heldBytes: number }): AsyncGenerator<string> {
  for await (const chunk of page) {
    progress.heldBytes += chunk.byteLength;
    if (progress.heldBytes > tokenBytesMax) throw new Error(`a page has a token of more than ${tokenBytesMax} bytes`);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
  }
}

/** The tag as it was written, except for its URLs. */
function rewriteTag(tag: StartTag, raw: string, rewrite: (url: string) => string): string {
  const names = urlAttributes.get(tag.tagName);
  const location = tag.sourceCodeLocation as Location | null | undefined;
  if (names === undefined || location?.attrs === undefined) return raw;
  const found = names.flatMap((name) => location.attrs?.[name] ?? []);
  let written = raw;
  // The last URL is rewritten first, so that the offsets of the other URLs remain valid.
  for (const { startOffset, endOffset } of found.toSorted((a, b) => b.startOffset - a.startOffset)) {
    const [start, end] = [startOffset - location.startOffset, endOffset - location.startOffset];
    written = written.slice(0, start) + rewriteAttribute(written.slice(start, end), rewrite) + written.slice(end);
  }
  return written;
}

interface Location extends Span {
  attrs?: Record<string, Span>;
}

interface Span {
  startOffset: number;
  endOffset: number;
}

/** href="/x", href = '/x', href=/x. */
function rewriteAttribute(text: string, rewrite: (url: string) => string): string {
  const [, before, quote, url] = /^([^=]*=\s*)(["']?)(.*?)\2$/s.exec(text) ?? [];
  if (before === undefined || quote === undefined || url === undefined) return text;
  return `${before}${quote}${rewrite(url)}${quote}`;
}
