import { workerProgram } from "./transport/workers/worker-program.ts";

workerProgram.main();
