import type { Logger } from '../../src/adapters/telemetry/log.ts';

export const SILENT_LOG: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const SILENT_COUNTER = { inc() {} };
