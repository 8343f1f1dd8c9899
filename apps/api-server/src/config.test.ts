import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { readConfig, sample } from "./config.ts";

testDocumentedFile({
  service: "api-server",
  sample,
  read: (argv) => readConfig(argv).dataDir,
  expected: "/var/lib/kintsugi/store",
});
