# The machine of the agent: the Python that Benchwright's own sandbox has, and the data.
FROM python:$python-slim
COPY requirements.txt /opt/requirements.txt
RUN pip install --no-cache-dir --require-hashes -r /opt/requirements.txt
$copies
WORKDIR /workspace
