import { testDocumentedFile } from "@kintsugi/daemon/testing";
import { program } from "./program.ts";

testDocumentedFile("scheduler", program, { kubeconfig: "/etc/kintsugi/scheduler.kubeconfig" });
