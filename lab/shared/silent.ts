import type { Logger } from '../../src/adapters/telemetry/log.ts';

export const SILENT_LOG: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => SILENT_LOG };

export const SILENT_COUNTER = { inc() {} };
