// parse.mjs: reads a list of header sets from stdin, and prints what
// ratelimit-header-parser makes of each: limit, remaining and reset (seconds since
// the epoch), null where it finds nothing.
import { readFileSync } from 'node:fs';
import { parseRateLimit } from 'ratelimit-header-parser';

const parsed = JSON.parse(readFileSync(0, 'utf8')).map((headers) => {
	const info = parseRateLimit(new Headers(headers));
	return info && { limit: info.limit, remaining: info.remaining, reset: Math.round(info.reset / 1000) };
});
console.log(JSON.stringify(parsed));
