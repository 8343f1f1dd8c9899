/** The identities that send requests. */
export const identities = [
  "none",
  "powerless",
  "namespace-editor",
  "namespace-admin",
  "namespace-owner",
  "definition-author",
  "node",
] as const;
export type IdentityName = (typeof identities)[number];

export interface FuzzRequest {
  readonly identity: IdentityName;
  readonly protocol: "http/1.1" | "h2";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}
