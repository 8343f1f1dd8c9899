import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { quotaBytesDefault, readEtcdEndpoints } from "@kintsugi/etcd";

/** The etcd in which API servers share their objects. */
export interface EtcdConfig {
  /** Addresses as `host:port`, the nearest first. */
  endpoints: readonly string[];
  tls: { caFile: string; certFile: string; keyFile: string } | undefined;
  prefix: string;
  /** The members' `--quota-backend-bytes`. */
  quotaBytes: number;
}

/** The flags of the etcd that several API servers share, with upstream's names. */
export const etcdFlags = {
  "etcd-servers": flag.list({
    help: "URLs of etcd's members, the nearest first; several API servers share the objects in etcd (default: the objects are stored in the data directory)",
    example: ["https://192.0.2.10:2379"],
  }),
  "etcd-cafile": flag.path({
    help: "Certificate authority of etcd's members, PEM",
    example: "/etc/kintsugi/pki/etcd-ca.crt",
    key: "etcdCAFile",
  }),
  "etcd-certfile": flag.path({
    help: "Client certificate for connections to etcd, PEM",
    example: "/etc/kintsugi/pki/api-server-etcd-client.crt",
    key: "etcdCertFile",
  }),
  "etcd-keyfile": flag.path({
    help: "Private key of the certificate, PEM",
    example: "/etc/kintsugi/pki/api-server-etcd-client.key",
    key: "etcdKeyFile",
  }),
  "etcd-prefix": flag.text({
    help: "Prefix of all keys in etcd (default: /kintsugi/ and the name of the cluster)",
    placeholder: "prefix",
    example: "/kintsugi/lab",
  }),
  "etcd-quota-backend-bytes": flag.count({
    help: "The --quota-backend-bytes of etcd's members; above 90 % of it, only deletes and high-priority writes are accepted",
    fallback: quotaBytesDefault,
    example: 8_589_934_592,
  }),
} as const;

/** @throws FlagError */
export function etcdConfig(given: FlagValues<typeof etcdFlags> & { "cluster-name": string }): EtcdConfig | undefined {
  const servers = given["etcd-servers"] ?? [];
  const files = [given["etcd-cafile"], given["etcd-certfile"], given["etcd-keyfile"]] as const;
  const [caFile, certFile, keyFile] = files;
  if (servers.length === 0) {
    if (given["etcd-prefix"] === undefined && files.every((file) => file === undefined)) return undefined;
    throw new FlagError("the other flags of etcd need --etcd-servers");
  }
  const { endpoints, isSecure } = readEndpoints(servers);
  const prefix = given["etcd-prefix"] ?? `/kintsugi/${given["cluster-name"]}`;
  if (!prefix.startsWith("/") || /^\/+$/.test(prefix)) {
    throw new FlagError(`--etcd-prefix must be a slash and a name, like /kintsugi/lab, not ${JSON.stringify(prefix)}`);
  }
  const quotaBytes = given["etcd-quota-backend-bytes"];
  if (!isSecure) {
    if (files.every((file) => file === undefined)) return { endpoints, tls: undefined, prefix, quotaBytes };
    throw new FlagError("--etcd-servers must list https URLs if certificates are set");
  }
  if (caFile === undefined || certFile === undefined || keyFile === undefined) {
    throw new FlagError(
      "--etcd-cafile, --etcd-certfile and --etcd-keyfile must be set together, and https URLs require them",
    );
  }
  return { endpoints, tls: { caFile, certFile, keyFile }, prefix, quotaBytes };
}

function readEndpoints(servers: readonly string[]): ReturnType<typeof readEtcdEndpoints> {
  try {
    return readEtcdEndpoints(servers);
  } catch (error) {
    throw new FlagError(`--etcd-servers: ${(error as Error).message}`);
  }
}
