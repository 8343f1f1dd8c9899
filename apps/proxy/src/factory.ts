export { createProxy, type Proxy, type ProxyDeps, type ProxyOptions, type ProxyState } from "./proxy.ts";
