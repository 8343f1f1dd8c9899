interface Listed {
  readonly kind?: string;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, unknown>>;
  readonly stringData?: Readonly<Record<string, unknown>>;
}

/** The annotation in which kubectl stores the whole object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns a Secret with the sizes of its values instead of the values. */
export function withoutValues<Secret extends Listed>(secret: Secret): Secret {
  const { metadata, data, stringData: _plain, ...rest } = secret;
  const { [lastApplied]: _copy, ...annotations } = metadata?.annotations ?? {};
  return {
    ...rest,
    metadata: { ...metadata, ...(metadata?.annotations === undefined ? {} : { annotations }) },
    ...(data === undefined
      ? {}
      : { data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, sizeOf(value)])) }),
  } as unknown as Secret;
}

function sizeOf(value: unknown): string {
  return `${typeof value === "string" ? Buffer.byteLength(value, "base64") : 0} bytes, not exported`;
}
