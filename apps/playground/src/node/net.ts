/** The version of an IP address in text, as node:net reads it; 0 for any other text. */
export function isIP(text: string): 0 | 4 | 6 {
  if (isIPv4(text)) return 4;
  return isIPv6(text) ? 6 : 0;
}

export function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

export function isIPv6(text: string): boolean {
  if (!text.includes(":")) return false;
  try {
    return new URL(`http://[${text}]/`).hostname !== "";
  } catch {
    return false;
  }
}

/** Ranges are only matched where requests arrive over a network. */
export class BlockList {
  addSubnet(): void {}
  addAddress(): void {}
  addRange(): void {}
  check(): boolean {
    return false;
  }
}

const refuse = () => {
  throw new Error("the playground has no network");
};
export { refuse as connect, refuse as createServer, refuse as createConnection };
export class Socket {}
export class Server {}
