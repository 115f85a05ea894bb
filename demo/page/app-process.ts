/** Begins the App's process with its compiled code of the last time, which is half of its start. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./app-main.ts');
