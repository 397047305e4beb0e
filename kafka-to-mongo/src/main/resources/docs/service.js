// whose operations the page of the API shows
const SERVICE = 'kafka-to-mongo';
