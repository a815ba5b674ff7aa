export { type ConsoleFile, consoleFile } from './console-file.ts';
