/** Begins the App's process with its compiled code of the last time, which is half of its start. */
import { enableCompileCache } from 'node:module';
import process from 'node:process';

enableCompileCache();
process.once('disconnect', () => process.exit(0));
// The terminal's Ctrl+C reaches this process too, and its parent ends it in its own time.
process.on('SIGINT', () => {});
await import('./app-main.ts');
