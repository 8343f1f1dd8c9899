import type { PackedRecording, StoryRecording } from "@kintsugi/story";

/** Finds the recordings in a page of several. */
export function packedRecordings(page: ParentNode): PackedRecording[] {
  return [...page.querySelectorAll<HTMLScriptElement>("script.recording")].map((element) => ({
    name: element.id.replace(/^data-/, ""),
    title: element.dataset["title"] ?? "",
    gzipBase64: element.textContent ?? "",
  }));
}

export async function unpackRecording({ gzipBase64 }: Pick<PackedRecording, "gzipBase64">): Promise<StoryRecording> {
  const bytes = Uint8Array.from(atob(gzipBase64), (letter) => letter.codePointAt(0) ?? 0);
  return (await unzipped(new Blob([bytes]).stream())) as StoryRecording;
}

/** Reads compressed JSON. @throws for other bytes */
export function unzipped(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<unknown> {
  return new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).json();
}
