export { EtcdLog, type EtcdLogOptions } from "./etcd-log.ts";
export { EtcdClient, type EtcdTls, readEtcdEndpoints } from "./etcd-client.ts";
export { quotaBytesDefault } from "./etcd-room.ts";
export { etcdVersionFault, etcdVersionRefusal } from "./etcd-version.ts";
