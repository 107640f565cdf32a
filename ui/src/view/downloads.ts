import type { DownloadView } from '../ipc/generated/types';
import { bytes, duration } from './format';
import type { Words } from './words';

/** Nothing is said of speed and time before so much of it is known. */
const KNOWN_MS = 2_000;

/** How far a download is: bytes, speed and the time left, as far as they can be told. */
export function downloadText(words: Words, download: DownloadView): string {
  if (download.nBytes === 0) return words.say('models.downloadAsking');
  if (download.isChecking) return words.say('models.downloadChecking');
  const sizes = words.say('tray.bytes', { done: bytes(words, download.nDone), all: bytes(words, download.nBytes) });
  const perS = bytesPerSecond(download);
  if (perS === null) return sizes;
  const left = Math.ceil((download.nBytes - download.nDone) / perS) * 1000;
  return [
    sizes,
    words.say('models.speed', { size: bytes(words, Math.round(perS)) }),
    words.say('tray.left', { time: duration(words, left) }),
  ].join(' · ');
}

/** What came in this try, by the second; `null` while that says nothing. */
export function bytesPerSecond({ elapsedMs, nBefore, nDone }: DownloadView): number | null {
  if (elapsedMs < KNOWN_MS || nDone <= nBefore) return null;
  return ((nDone - nBefore) * 1000) / elapsedMs;
}

/** The part that is here, between 0 and 1. */
export function shareHere({ nBytes, nDone }: DownloadView): number {
  return nBytes > 0 ? Math.min(1, nDone / nBytes) : 0;
}
