// throttle.mjs URL: a hundred calls of CL.THROTTLE against a burst of fifty, sent at
// once, with each client as it connects by default. Prints {"client": [allowed, the
// first reply]}.
import Redis from 'ioredis';
import { createClient } from 'redis';

const url = process.argv[2];
const command = (key) => ['CL.THROTTLE', key, '49', '50', '86400'];

const viaNodeRedis = (RESP) => async (key) => {
	const client = createClient({ url, RESP });
	client.on('error', (error) => console.error(key, String(error)));
	await client.connect();
	const replies = await Promise.all(Array.from({ length: 100 }, () => client.sendCommand(command(key))));
	await client.close();
	return replies;
};

const viaIoredis = async (key) => {
	const client = new Redis(url);
	const [name, ...args] = command(key);
	const pipeline = client.pipeline();
	for (let i = 0; i < 100; i++) {
		pipeline.call(name, ...args);
	}
	const replies = (await pipeline.exec()).map(([error, reply]) => {
		if (error) throw error;
		return reply;
	});
	await client.quit();
	return replies;
};

const clients = { 'node-redis RESP2': viaNodeRedis(2), 'node-redis RESP3': viaNodeRedis(3), ioredis: viaIoredis };

const told = {};
for (const [name, call] of Object.entries(clients)) {
	const replies = await call(`${process.argv[3]}:${name}`);
	told[name] = [replies.filter(([limited]) => limited === 0).length, replies[0]];
}
console.log(JSON.stringify(told));
