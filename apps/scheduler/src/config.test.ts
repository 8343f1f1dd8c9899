import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { readConfig, sample } from "./config.ts";

testDocumentedFile({
  service: "scheduler",
  sample,
  read: (argv) => readConfig(argv).kubeconfig,
  expected: "/etc/kintsugi/scheduler.kubeconfig",
});
