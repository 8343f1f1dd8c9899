import { posix } from "node:path";
import { UnreadableSource } from "@kintsugi/rehearsal";

export interface TarFile {
  readonly name: string;
  readonly contents: Buffer;
}

// A tar archive consists of blocks of 512 bytes: a header, then the contents, padded to a whole
// block.
//   0    100       124          136         156   257        345
//   name mode…     size (octal) …           type  "ustar"    prefix of the name
const blockBytes = 512;

/**
 * Yields the regular files of an archive, in memory, without writing files.
 * @throws UnreadableSource if it is truncated, is not an archive, has a name that points outside of
 * it, or a link in place of an object's file.
 */
export function* readTar(bytes: Buffer, path: string): Generator<TarFile> {
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= bytes.length;) {
    const header = bytes.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(textAt(header, 124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new UnreadableSource(`${path} is not a tar archive`);
    const from = at + blockBytes;
    if (from + size > bytes.length)
      throw new UnreadableSource(
        `${path} is cut off: its last file has ${size} bytes, but the archive contains only ${bytes.length - from} of these bytes; copy the archive again`,
      );
    const contents = bytes.subarray(from, from + size);
    const type = String.fromCharCode(header[156] ?? 0);
    const prefix = textAt(header, 345, 155);
    const name = longName ?? (prefix === "" ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`);
    longName = type === "L" ? contents.toString("utf8").replace(/\0+$/, "") : undefined;
    if (type === "0" || type === "\0") yield { name: checkedName(name, path), contents };
    if ((type === "1" || type === "2") && isObjectFile(name))
      throw new UnreadableSource(
        `${path} has a link in place of the file ${JSON.stringify(name)}: pack it with \`tar --dereference --hard-dereference\``,
      );
    at = from + Math.ceil(size / blockBytes) * blockBytes;
  }
}

/** Reports whether a file of a dump contains objects, by its name. */
export function isObjectFile(name: string): boolean {
  return /\.(ya?ml|json)$/.test(name);
}

function checkedName(name: string, path: string): string {
  const normal = posix.normalize(name);
  if (posix.isAbsolute(normal) || normal.startsWith(".."))
    throw new UnreadableSource(
      `${path} has a file named ${JSON.stringify(name)}, which leads out of the archive, so it is not read`,
    );
  return normal;
}

function textAt(block: Buffer, from: number, length: number): string {
  const end = block.indexOf(0, from);
  return block.toString("utf8", from, end < 0 || end > from + length ? from + length : end);
}
