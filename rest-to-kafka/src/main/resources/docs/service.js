// whose operations the page of the API shows
const SERVICE = 'rest-to-kafka';
