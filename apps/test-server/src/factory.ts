export { type TestServerConfig, readConfig } from "./config.ts";
export { startTestServer, type TestServer, type TestServerDeps, type TestServerOptions } from "./test-server.ts";
