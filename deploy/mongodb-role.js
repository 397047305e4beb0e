// Makes the role that kafka-to-mongo needs in MongoDB, and no more, in the database of the connection:
//   mongosh 'mongodb://admin@mongo.example/db?authSource=admin' deploy/mongodb-role.js
// With KAFKA_TO_MONGO_PASSWORD it makes the user kafka-to-mongo, too. The collections have the names of the settings. Those of further
// resources stand in COLLECTIONS, as COLLECTIONS=orders,orders.deadLetters. collMod changes for how long a mark is kept, and changeStream
// tells clients what is stored.
const role = 'kafkaToMongo';
const collection = (variable, name) => ({ db: db.getName(), collection: process.env[variable] || name });
const privileges = [
  // an erasure puts a mark in the place of a job
  { resource: collection('KAFKA_TO_MONGO_COLLECTION', 'jobs'), actions: ['find', 'changeStream', 'insert', 'update', 'createIndex', 'collMod'] },
  // a replay, a correction and a discard change a dead letter
  { resource: collection('KAFKA_TO_MONGO_DEAD_LETTER_COLLECTION', 'deadLetters'), actions: ['find', 'insert', 'update', 'createIndex'] },
];
for (const name of (process.env.COLLECTIONS || '').split(',').filter((one) => one)) {
  privileges.push({ resource: { db: db.getName(), collection: name }, actions: ['find', 'changeStream', 'insert', 'update', 'createIndex', 'collMod'] });
}
if (db.getRole(role)) {
  db.updateRole(role, { privileges, roles: [] });
} else {
  db.createRole({ role, privileges, roles: [] });
}
if (process.env.KAFKA_TO_MONGO_PASSWORD) {
  const login = { pwd: process.env.KAFKA_TO_MONGO_PASSWORD, roles: [role] };
  if (db.getUser('kafka-to-mongo')) {
    db.updateUser('kafka-to-mongo', login);
  } else {
    db.createUser({ user: 'kafka-to-mongo', ...login });
  }
}
