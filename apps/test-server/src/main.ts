import { program } from "./program.ts";

program.main();
