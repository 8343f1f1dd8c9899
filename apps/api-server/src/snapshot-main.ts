import { snapshotCommand } from "./snapshot/snapshot-command.ts";

// The command reads snapshots and writes an empty data directory, where no API server runs. LevelDB
// has no option for the mode of its files, so the umask keeps them private.
process.umask(0o077);
process.exitCode = await snapshotCommand(process.argv.slice(2));
