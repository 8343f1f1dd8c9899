import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { program } from "./program.ts";

testDocumentedFile({
  service: "scheduler",
  sample: program.sample,
  read: (argv) => program.readConfig(argv).kubeconfig,
  expected: "/etc/kintsugi/scheduler.kubeconfig",
});
