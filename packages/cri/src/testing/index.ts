export { type CriProxyOptions, startCriProxy } from "./server/cri-proxy.ts";
export { type CriServer, serveCri, type ServeCriOptions } from "./server/serve-cri.ts";
