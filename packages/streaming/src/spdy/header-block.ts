import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { headerDictionary } from "./header-dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

/** Names in lower case. A name that was sent twice has both values. */
export type SpdyHeaders = Readonly<Record<string, readonly string[]>>;

// A header block is: the number of pairs, then for each pair the name's length, the name, the
// value's length, and the value. All numbers have four bytes, and several values of one name are
// separated by a zero byte. All blocks of one direction are one zlib stream, flushed at the end of
// each block, so a block can be decompressed by itself with the 32 KiB of plain text before it.

/** The maximum distance of a back reference in deflate. */
const windowBytes = 32 * 1024;
/**
 * Limit on the decompressed headers of one stream. Kubernetes sends about 100 bytes, so a thousand
 * times that is an attack.
 */
const blockBytesMax = 64 * 1024;
/** zlib's own header: deflate, a dictionary is used, and its checksum. */
const zlibHeader = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);

/** Compresses the header blocks of one direction of a connection, in their order. */
export class HeaderPacker {
  #window: Buffer = headerDictionary;
  #begun = false;

  pack(headers: SpdyHeaders): Buffer {
    const block = encodeBlock(headers);
    const packed = deflateRawSync(block, { dictionary: this.#window, finishFlush: constants.Z_SYNC_FLUSH });
    this.#window = Buffer.concat([this.#window, block]).subarray(-windowBytes);
    const parts = this.#begun ? [packed] : [zlibHeader, packed];
    this.#begun = true;
    return Buffer.concat(parts);
  }
}

/**
 * Decompresses the header blocks of one direction of a connection: each exactly once, in their
 * order.
 */
export class HeaderUnpacker {
  #window: Buffer = headerDictionary;
  #begun = false;

  /** @throws SpdyError */
  unpack(packed: Buffer): SpdyHeaders {
    const block = this.#inflate(this.#begun ? packed : this.#withoutZlibHeader(packed));
    this.#begun = true;
    this.#window = Buffer.concat([this.#window, block]).subarray(-windowBytes);
    return decodeBlock(block);
  }

  /**
   * Removes two bytes, and the four bytes of the dictionary's checksum if the peer uses a
   * dictionary.
   */
  #withoutZlibHeader(packed: Buffer): Buffer {
    if (packed.byteLength < 2 || ((packed[0] ?? 0) & 0x0f) !== 8) throw new SpdyError("headers are not packed by zlib");
    const usesDictionary = ((packed[1] ?? 0) & 0x20) !== 0;
    if (!usesDictionary) {
      this.#window = Buffer.alloc(0);
      return packed.subarray(2);
    }
    if (!packed.subarray(2, 6).equals(zlibHeader.subarray(2))) throw new SpdyError("headers need another dictionary");
    return packed.subarray(6);
  }

  #inflate(packed: Buffer): Buffer {
    try {
      const dictionary = this.#window.byteLength === 0 ? {} : { dictionary: this.#window };
      return inflateRawSync(packed, {
        ...dictionary,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: blockBytesMax,
      });
    } catch (error) {
      throw new SpdyError("headers cannot be unpacked", { cause: error });
    }
  }
}

function encodeBlock(headers: SpdyHeaders): Buffer {
  const pairs = Object.entries(headers);
  return Buffer.concat([
    uint32(pairs.length),
    ...pairs.flatMap(([name, values]) => [text(name.toLowerCase()), text(values.join("\0"))]),
  ]);
}

/** @throws SpdyError */
function decodeBlock(block: Buffer): SpdyHeaders {
  let offset = 0;
  const take = (length: number) => {
    if (length > block.byteLength - offset) throw new SpdyError("headers are shorter than declared");
    offset += length;
    return block.subarray(offset - length, offset);
  };
  const number = () => take(4).readUInt32BE();
  const headers = new Map<string, string[]>();
  for (let left = number(); left > 0; left--) {
    const name = take(number()).toString("latin1");
    if (name === "" || name !== name.toLowerCase() || headers.has(name)) {
      throw new SpdyError(`the header ${JSON.stringify(name)} is empty, duplicate, or not in lower case`);
    }
    headers.set(name, take(number()).toString("latin1").split("\0"));
  }
  if (offset !== block.byteLength) throw new SpdyError("more data follows the headers");
  return Object.fromEntries(headers);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([uint32(bytes.byteLength), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
