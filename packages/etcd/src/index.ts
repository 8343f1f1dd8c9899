export { EtcdLog, type EtcdLogOptions } from "./etcd-log.ts";
export { EtcdClient, type EtcdTls, readEtcdEndpoints } from "./etcd-client.ts";
