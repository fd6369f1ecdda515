// calls.mjs URL: twelve calls with each client, one after another, as they come
// with their own ideas of Retry-After. Prints {"client": calls that succeeded}.
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import { Agent, RetryAgent, fetch } from 'undici';

const url = process.argv[2];

const viaAxios = axios.create();
axiosRetry(viaAxios, {
	retries: 5,
	// 429 is not in its default list; the wait is Retry-After by default.
	retryCondition: (error) => error.response?.status === 429,
});

const retrying = new RetryAgent(new Agent());

const clients = {
	'axios-retry': async (headers) => (await viaAxios.get(url, { headers })).status,
	got: async (headers) => (await got(url, { headers })).statusCode,
	undici: async (headers) => (await fetch(url, { headers, dispatcher: retrying })).status,
};

const succeeded = await Promise.all(Object.entries(clients).map(async ([name, call]) => {
	let count = 0;
	for (let i = 0; i < 12; i++) {
		try {
			count += await call({ 'x-client': name }) === 200 ? 1 : 0;
		} catch (error) {
			console.error(name, String(error));
		}
	}
	return [name, count];
}));
console.log(JSON.stringify(Object.fromEntries(succeeded)));
await retrying.close();
