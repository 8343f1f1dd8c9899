import { snapshotCommand } from "./snapshot/snapshot-command.ts";

// A snapshot is restored beside an empty data directory, where no API server runs and sets this
// mask. LevelDB takes no mode for the files that it makes.
process.umask(0o077);
process.exitCode = await snapshotCommand(process.argv.slice(2));
